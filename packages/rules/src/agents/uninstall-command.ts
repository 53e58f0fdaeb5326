/**
 * The command line of a program's uninstall key, without questions: Windows Installer removes silently. Other installers
 * have switches of their own, so their line stays as it is.
 */
export function quietUninstall(command: string): string {
  if (!/\bmsiexec(\.exe)?\b/i.test(command)) return command
  const removing = command.replace(/\/I\s*(?=\{)/i, '/X')
  const missing = ['/qn', '/norestart'].filter((option) => !removing.toLowerCase().includes(option))
  return [removing, ...missing].join(' ')
}
