import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { WineMachine } from './wine-machine.ts'

// Runs a Windows machine with an agent until this program ends: for stories, which start programs and import none.
//   node run-machine.ts --server URL --token TOKEN --display :7 -- explorer /desktop=Default,1280x800 notepad

const { values, positionals } = parseArgs({
  options: { server: { type: 'string' }, token: { type: 'string' }, display: { type: 'string' } },
  allowPositionals: true,
})
const { server = '', token = '', display = '' } = values
const DATA = ['--data', 'C:\\ProgramData\\Muster Agent']

await using machine = await WineMachine.start({ display })
const agent = machine.layProgram('C:\\Muster')
// Wine gives the first process in a pseudo-console no handles of it; the next one opens them by name.
writeFileSync(machine.hostPath('C:\\Muster\\shell.cmd'), '@cmd.exe /d <CON >CON 2>&1\r\n')
const code = await machine.run([...agent, 'enrol', '--server', server, '--token', token, ...DATA])
if (code !== 0) throw new Error(machine.readOutput())
if (positionals.length > 0) machine.start(positionals)
machine.start([...agent, 'run', ...DATA])
process.stdout.write(`running in ${machine.folder}\n`)
await new Promise((ended) => process.once('SIGTERM', ended))
