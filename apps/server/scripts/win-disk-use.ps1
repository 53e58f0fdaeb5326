# Space on local disks. First argument: percent in use from which it is a problem (90).
param([int]$Limit = 90)
$bad = 0
Get-CimInstance Win32_LogicalDisk -Filter 'DriveType=3' | ForEach-Object {
    if ($_.Size -gt 0) {
        $used = [math]::Round(100 - 100 * $_.FreeSpace / $_.Size)
        $mark = ''
        if ($used -ge $Limit) { $mark = '  <-- full'; $bad = 1 }
        '{0} {1,8:N1} GB free of {2,8:N1} GB, {3}% used{4}' -f $_.DeviceID, ($_.FreeSpace / 1GB), ($_.Size / 1GB), $used, $mark
    }
}
exit $bad
