#!/bin/bash
# Whether the disk is encrypted with FileVault.
state=$(fdesetup status 2>&1)
echo "$state"
[[ $state == *'FileVault is On'* ]]
