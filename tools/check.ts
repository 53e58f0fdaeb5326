// `npm run check`: types, lint, format and the house rules. Seconds, for before a commit.
import { readProgram } from './programs.ts'
import { staticChecks } from './static-checks.ts'

const checks = [
  ...staticChecks,
  { name: 'house rules', command: ['vitest', 'run', '--project', 'tools', 'conventions'] },
]

const results = await Promise.all(
  checks.map(async ({ name, command }) => {
    const startedMs = Date.now()
    const result = await readProgram(command)
    return { name, seconds: (Date.now() - startedMs) / 1000, ...result }
  }),
)
for (const { name, seconds, ok, output } of results) {
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name} (${seconds.toFixed(1)} s)`)
  if (!ok) console.log(output.trimEnd())
}
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1
