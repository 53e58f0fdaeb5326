// node tools/node24.mjs FILE [ARGS]: runs FILE with a Node that understands TypeScript, installing packages first.
import { spawn } from 'node:child_process'
import { findNode, installPackages } from '../deploy/node24.mjs'

installPackages()
const child = spawn(findNode(), process.argv.slice(2), { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
