#!/bin/bash
# Whether Gatekeeper, system integrity protection and the firewall are on.
bad=0
gatekeeper=$(spctl --status 2>&1)
echo "Gatekeeper: $gatekeeper"
[[ $gatekeeper == *enabled* ]] || bad=1
integrity=$(csrutil status 2>&1)
echo "$integrity"
[[ $integrity == *enabled* ]] || bad=1
/usr/libexec/ApplicationFirewall/socketfilterfw --getglobalstate || bad=1
exit "$bad"
