# Completes a command line as bash does: SCRIPT WORD..., the last one up to the cursor. Prints the replies, a line each.
# bash splits words at = before it asks.
source "$1"
shift
COMP_WORDS=()
for word; do
    while [[ $word == *=* ]]; do
        [[ -z ${word%%=*} ]] || COMP_WORDS+=("${word%%=*}")
        COMP_WORDS+=("=")
        word=${word#*=}
        split=yes
    done
    [[ -z $word && ${split-} == yes ]] || COMP_WORDS+=("$word")
    split=
done
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
registered=$(complete -p drydock)
[[ $registered == "complete -F _drydock drydock" ]] || echo "not registered: $registered"
_drydock "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
[[ ${#COMPREPLY[@]} -eq 0 ]] || printf '%s\n' "${COMPREPLY[@]}"
