// `npm test`, on Node 18+: installs the packages, then runs everything with Node 24 (tools/run-tests.ts).
import { join } from 'node:path'
import { root } from '../deploy/node24.mjs'

process.argv.splice(2, 0, join(root, 'tools', 'run-tests.ts'))
await import('./node24.mjs')
