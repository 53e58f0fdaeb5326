# Members of the local group of administrators, whatever it is called here.
$group = Get-LocalGroup -SID 'S-1-5-32-544'
Get-LocalGroupMember -Group $group | Select-Object Name, ObjectClass, PrincipalSource | Format-Table -AutoSize
exit 0
