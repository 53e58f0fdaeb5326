#!/bin/sh
# Settings of the SSH server that open a machine wider than it needs to be.
[ -r /etc/ssh/sshd_config ] || { echo "There is no SSH server here." >&2; exit 2; }
settings=$(sshd -T 2>/dev/null || cat /etc/ssh/sshd_config /etc/ssh/sshd_config.d/*.conf 2>/dev/null | grep -vE '^[[:space:]]*(#|$)' | tr 'A-Z' 'a-z')
bad=0
look() {
  value=$(printf '%s\n' "$settings" | awk -v name="$1" '$1 == name { print $2; exit }')
  if [ "$value" = "$2" ]; then
    bad=1
    echo "$1 is $value: $3"
  else
    echo "$1 is ${value:-as usual}"
  fi
}
look permitrootlogin yes 'root can sign in with a password'
look passwordauthentication yes 'passwords can be guessed; keys cannot'
look permitemptypasswords yes 'accounts without a password are open'
look x11forwarding yes 'seldom needed'
exit "$bad"
