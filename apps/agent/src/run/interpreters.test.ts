import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { givenAgent, givenFolder } from '../testing/given.ts'
import { givenPrograms } from '../testing/given-programs.ts'
import { shellInput } from '../testing/test-server.ts'
import { planPowershell } from './interpreters.ts'
import { planLine } from './prepare-run.ts'
import { writeScriptFile } from './script-file.ts'

// How PowerShell itself runs these files is on the list of docs/windows.md.
const OPTIONS = ['-NoProfile', '-NonInteractive']

test.each([
  ['statements', 'Write-Output "ü"\nexit 3'],
  ['a parameter block', 'param([string] $Name)\n"Hello $Name"'],
  ['requirements', '#Requires -Version 5.1\r\n[CmdletBinding()]\r\nparam()\r\n'],
  ['help and other modules', '<# .SYNOPSIS x #>\nusing namespace System.IO\nparam($a)'],
])('Windows PowerShell prints UTF-8 in a script that begins with %s', (_, text) => {
  givenPrograms({ powershell: 'exit 0', pwsh: 'exit 0' })
  const script = planPowershell(text, 'win32')
  // One statement that may stand before all of these, on the first line of the script.
  expect(script.body).toBe(`\uFEFFusing module '.\\muster-utf8.psm1'; ${text}`)
  expect(script.module?.name).toBe('muster-utf8.psm1')
  // An error here, as in a restricted language mode, must not end the script.
  expect(script.module?.body).toMatch(
    /^try \{ .*UTF8Encoding \$false; \[Console\]::OutputEncoding = .* \} catch \{ \}\r\nExport-ModuleMember\r\n$/,
  )
  expect(script.module?.body).toMatch(/^[\x20-\x7E\r\n]+$/)
  const { program, args } = script.plan('C:\\run\\script.ps1', ['-Name', 'a b'])
  expect(program).toMatch(/\/powershell$/)
  expect(args).toEqual([
    ...OPTIONS,
    '-ExecutionPolicy',
    'Bypass',
    '-File',
    'C:\\run\\script.ps1',
    '-Name',
    'a b',
  ])
})

test.each(['linux', 'darwin'] as const)('PowerShell on %s gets the script as it is', (platform) => {
  givenPrograms({ powershell: 'exit 0', pwsh: 'exit 0' })
  const script = planPowershell('\uFEFFparam()\n', platform)
  expect(script).toMatchObject({ fileName: 'script.ps1', body: 'param()\n' })
  expect(script.module).toBeUndefined()
  const { program, args } = script.plan('/run/script.ps1', [])
  expect(program).toMatch(/\/pwsh$/)
  expect(args).toEqual([...OPTIONS, '-File', '/run/script.ps1'])
})

test('PowerShell as a custom shell of Windows prints UTF-8', () => {
  const textOf = (line: string) => planLine('C:\\PS\\pwsh.exe', line, 'win32').args.at(-1)
  expect(textOf('"ü"; exit 4')).toMatch(/^try \{ .*OutputEncoding.* \} catch \{ \}; "ü"; exit 4$/)
  expect(textOf(' using namespace System')).toBe(' using namespace System')
  expect(textOf('param($a) 1')).toBe('param($a) 1')
  expect(planLine('/usr/bin/pwsh', '1', 'linux').args).toEqual([...OPTIONS, '-Command', '1'])
})

test('the module of a script lies beside it, and is removed with it', () => {
  givenPrograms({ powershell: 'exit 0' })
  const { fileName, body, module } = planPowershell('1', 'win32')
  const file = writeScriptFile({ name: fileName, body, module, dataFolder: givenFolder(), user: undefined })
  const folder = dirname(file.path)
  expect(readdirSync(folder).toSorted()).toEqual(['muster-utf8.psm1', 'script.ps1'])
  expect(readFileSync(join(folder, 'muster-utf8.psm1'), 'utf8')).toBe(module?.body)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  file[Symbol.dispose]()
  expect(statSync(folder, { throwIfNoEntry: false })).toBeUndefined()
})

test('Python prints UTF-8 on a machine with another code page, unless a run says otherwise', async () => {
  const { server } = await givenAgent()
  const { run_as_user, timeout_seconds, output_cap_bytes } = shellInput('')
  const run = async (id: number, more: string[]) => {
    const input = {
      interpreter: 'python' as const,
      body: 'print("ü€")',
      args: [],
      run_as_user,
      timeout_seconds,
      output_cap_bytes,
      // Python without its own guesses: as on Windows, it takes the code page of the system.
      env_vars: ['LC_ALL=C', 'PYTHONCOERCECLOCALE=0', 'PYTHONUTF8=0', ...more],
    }
    server.command(server.sign('run-script', input, { payload: { history_id: id } }))
    await server.result(id)
    return server.outputOf(id)
  }
  expect(await run(1, [])).toBe('ü€\n')
  expect(await run(2, ['PYTHONIOENCODING=ascii:backslashreplace'])).toBe('\\xfc\\u20ac\n')
})
