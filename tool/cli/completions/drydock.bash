# shellcheck shell=bash disable=SC2046,SC2086  # lists of words are split
# bash completion for drydock. The tables in it are made from those of its help.

_drydock_options() { # COMMAND
    case $1 in
@OPTIONS@
    esac
}

_drydock_values() { # COMMAND OPTION: what may follow the option; fails where it takes no value
    case "$1 $2" in
@VALUES@
        *) return 1 ;;
    esac
}

_drydock_operands() { # COMMAND: whether it takes files
    case $1 in
@OPERANDS@
        *) return 1 ;;
    esac
}

_drydock_second_words() { # COMMAND: of those that have two; fails for the others
    case $1 in
@SECOND_WORDS@
        *) return 1 ;;
    esac
}

_drydock_reply() { # WORD CANDIDATE...: those that begin with the word
    local word=$1 candidate
    shift
    for candidate; do
        [[ $candidate == "$word"* ]] && COMPREPLY+=("$candidate")
    done
}

_drydock_paths() { # f|d WORD BEFORE: files or directories, behind what stands before them in their word
    compopt -o filenames 2>/dev/null
    local path
    while IFS= read -r path; do
        COMPREPLY+=("$3$path")
    done < <(compgen "-$1" -- "$2")
}

_drydock_names() { # KIND: names that the manifest has, which may be none
    local i given=()
    for ((i = 1; i < ${#words[@]} - 1; ++i)); do
        case ${words[i]} in
            -m | --manifest | --dsh-version) given+=("${words[i]}" "${words[i + 1]}") ;;
            --manifest=* | --dsh-version=*) given+=("${words[i]}") ;;
        esac
    done
    "${words[0]/#\~/$HOME}" __names "$1" "${given[@]}" 2>/dev/null
}

_drydock_value() { # KIND WORD BEFORE: the values that begin with the word
    local names=() i
    case $1 in
        '<files>') _drydock_paths f "$2" "$3" ;;
        '<directories>') _drydock_paths d "$2" "$3" ;;
        '<packages>' | '<versions>')
            i=${1:1:-1}
            mapfile -t names < <(_drydock_names "$i")
            _drydock_reply "$3$2" "${names[@]/#/$3}"
            for i in "${!COMPREPLY[@]}"; do printf -v "COMPREPLY[i]" %q "${COMPREPLY[i]}"; done
            ;;
        '<roots>')
            if [[ $2 == *=* ]]; then
                _drydock_paths d "${2#*=}" "$3${2%%=*}="
            else
                compopt -o nospace 2>/dev/null
                mapfile -t names < <(_drydock_names roots)
                names=("${names[@]/%/=}")
                _drydock_reply "$3$2" "${names[@]/#/$3}"
            fi
            ;;
        *)
            read -ra names <<<"$1"
            _drydock_reply "$3$2" "${names[@]/#/$3}"
            ;;
    esac
}

_drydock() {
    local IFS=$' \t\n'
    # The words as they were typed, up to the cursor: bash splits them at = too.
    local words=() word joined=no i
    for ((i = 0; i <= COMP_CWORD; ++i)); do
        word=${COMP_WORDS[i]}
        if [[ $joined == yes || ($word == = && ${#words[@]} -gt 1) ]]; then
            words[-1]+=$word
            joined=no
            [[ $word != = ]] || joined=yes
        else
            words+=("$word")
        fi
    done
    local count=${#words[@]} current=${words[-1]} last=${COMP_WORDS[COMP_CWORD]} first values seconds
    [[ $last != = ]] || last=
    COMPREPLY=()
    # The command, which is the word `first`, and the next one too where it has two.
    first=1
    [[ ${words[1]} == help && $count -gt 2 ]] && first=2
    local command=${words[first]}
    if ((count == first + 1)); then
        _drydock_reply "$current" @FIRST_WORDS@
        ((first == 2)) || _drydock_reply "$current" $(_drydock_options '')
        return
    fi
    if seconds=$(_drydock_second_words "$command"); then
        first=$((first + 1))
        if ((count == first + 1)); then
            _drydock_reply "$current" $seconds
            return
        fi
        command+=" ${words[first]}"
    fi
    [[ ${words[1]} != help ]] || return
    if [[ $current == --*=* ]] && values=$(_drydock_values "$command" "${current%%=*}"); then
        _drydock_value "$values" "${current#*=}" "${current%%=*}="
    elif values=$(_drydock_values "$command" "${words[-2]}"); then
        _drydock_value "$values" "$current" ''
    elif [[ $current == -* ]]; then
        _drydock_reply "$current" $(_drydock_options "$command")
    elif _drydock_operands "$command"; then
        _drydock_paths f "$current" ''
    fi
    # bash puts in only what stands behind the last =.
    local before=${current%"$last"}
    [[ -z $before ]] || COMPREPLY=("${COMPREPLY[@]#"$before"}")
}

complete -F _drydock drydock
