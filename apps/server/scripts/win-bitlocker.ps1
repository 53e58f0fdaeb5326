# Whether the system disk is encrypted.
$volume = Get-BitLockerVolume -MountPoint $env:SystemDrive -ErrorAction SilentlyContinue
if ($null -eq $volume) { [Console]::Error.WriteLine('BitLocker is not on this machine.'); exit 2 }
'{0}: {1}, {2}% encrypted' -f $volume.MountPoint, $volume.ProtectionStatus, $volume.EncryptionPercentage
if ($volume.ProtectionStatus -ne 'On') { exit 1 }
exit 0
