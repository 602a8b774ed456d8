# fish completion for drydock. The tables in it are made from those of its help.

function __drydock_is # COMMAND: whether it is the one on the line, which may have two words
    set -l words (commandline -opc) ''
    set -l command $words[2]
    switch "$command"
        case @FIRST_OF_TWO@
            set command (string trim "$command $words[3]")
    end
    test "$command" = "$argv[1]"
end

function __drydock_names # KIND: names that the manifest has, which may be none
    set -l words (commandline -opc)
    set -l given
    for i in (seq 2 (count $words))
        switch $words[$i]
            case -m --manifest --dsh-version
                test $i -lt (count $words); and set -a given $words[$i] $words[(math $i + 1)]
            case '--manifest=*' '--dsh-version=*'
                set -a given $words[$i]
        end
    end
    $words[1] __names $argv[1] $given 2>/dev/null
end

function __drydock_roots # NAME=DIR
    set -l current (commandline -ct | string replace -r '^(--root=|-r)' '')
    if string match -q '*=*' -- $current
        set -l parts (string split -m 1 = -- $current)
        __fish_complete_directories $parts[2] | string replace -r '^' "$parts[1]="
    else
        __drydock_names roots | string replace -r '$' =
    end
end

complete -c drydock -f
@COMPLETE@
