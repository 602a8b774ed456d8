# Completes command lines in an interactive zsh: FOLDER-OF-COMPLETIONS FOLDER-OF-DRYDOCK LINE... Prints each line with its
# matches: every compadd tells them before it adds them.
zmodload zsh/zpty
export ZDOTDIR=$(mktemp -d)
export COMPLETIONS=$1 MATCHES=$ZDOTDIR/matches
path=($2 $path)
shift 2
print -rl -- "$@" >$ZDOTDIR/lines
cat >$ZDOTDIR/.zshrc <<'END'
fpath=($COMPLETIONS $fpath)
autoload -Uz compinit
compinit -u -D
compadd() {
    local -a told
    # Not where it only fills an array of the completion system's.
    if [[ -z ${(M)@:#-[OAD]} ]]; then
        builtin compadd -O told "$@"
        found+=($told)
    fi
    builtin compadd "$@"
}
complete-all() {
    local line
    local -aU found
    while IFS= read -r line; do
        found=()
        BUFFER=$line
        CURSOR=$#BUFFER
        zle complete-word
        print -r -- "$line:${found:+ }$found" >>$MATCHES
    done <$ZDOTDIR/lines
    kill -KILL $$
}
zle -N zle-line-init complete-all
END
zpty inner zsh -i
while zpty -r inner output; do :; done
cat $MATCHES
rm -rf $ZDOTDIR
