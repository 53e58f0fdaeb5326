# Whether Microsoft Defender protects this machine, and how old its signatures are. First argument: days that are too old (3).
param([int]$Days = 3)
$state = Get-MpComputerStatus -ErrorAction SilentlyContinue
if ($null -eq $state) { [Console]::Error.WriteLine('Defender does not answer here.'); exit 2 }
$state | Select-Object AMServiceEnabled, RealTimeProtectionEnabled, AntivirusSignatureAge, QuickScanAge | Format-List
if (-not $state.RealTimeProtectionEnabled -or $state.AntivirusSignatureAge -gt $Days) { exit 1 }
exit 0
