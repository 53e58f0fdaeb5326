import { expect, test } from 'vitest'
import { quietUninstall } from './uninstall-command.ts'

test.each([
  ['MsiExec.exe /I{23170F69-40C1}', 'MsiExec.exe /X{23170F69-40C1} /qn /norestart'],
  ['msiexec /x {23170F69-40C1} /qn', 'msiexec /x {23170F69-40C1} /qn /norestart'],
  ['"C:\\7z\\Uninstall.exe" /S', '"C:\\7z\\Uninstall.exe" /S'],
])('%s is run as %s', (command, quiet) => {
  expect(quietUninstall(command)).toBe(quiet)
})
