#compdef drydock
# zsh completion for drydock. The tables in it are made from those of its help.

_drydock_ask() { # KIND: names that the manifest has, which may be none
    local i
    local -a given
    for ((i = 1; i < ${#typed}; ++i)); do
        case $typed[i] in
            -m | --manifest | --dsh-version) given+=("$typed[i]" "$typed[i+1]") ;;
            --manifest=* | --dsh-version=*) given+=("$typed[i]") ;;
        esac
    done
    names=(${(f)"$(${(Q)typed[1]} __names $1 "${(@Q)given}" 2>/dev/null)"})
}

_drydock_names() { # KIND
    local -a names
    _drydock_ask $argv[-1]
    compadd -a names
}

_drydock_roots() { # NAME=DIR
    local -a names
    if compset -P '*='; then
        _files -/
    else
        _drydock_ask roots
        compadd -S = -a names
    fi
}

_drydock() {
    local command=$words[2]
    local -a typed=("${words[@]}") commands seconds
    if ((CURRENT == 2)); then
        commands=(
@COMMANDS@
        )
        _describe command commands
        return
    fi
    if [[ $command == help ]]; then
        ((CURRENT > 3)) || compadd @FIRST_WORDS@
        return
    fi
    case $command in
@SECOND_WORDS@
    esac
    if ((${#seconds})); then
        if ((CURRENT == 3)); then
            compadd -a seconds
            return
        fi
        command+=" $words[3]"
        shift words
        ((CURRENT--))
    fi
    shift words
    ((CURRENT--))
    case $command in
@ARGUMENTS@
    esac
}

if [[ $funcstack[1] == _drydock ]]; then
    _drydock "$@"
else
    compdef _drydock drydock
fi
