import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

// Stands in for deploy/packages.mjs: the same arguments, lines and exit codes, and a package that is a line of text.

const { values } = parseArgs({
  options: {
    platform: { type: 'string' },
    arch: { type: 'string' },
    format: { type: 'string' },
    out: { type: 'string' },
  },
})
const { platform = '', arch = '', format = '', out = '' } = values

const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)

if (format === 'rpm') {
  say({ error: 'rpmbuild is missing. Install the package rpm on the server.' })
  process.exitCode = 1
} else {
  say({ progress: 'Downloading Node' })
  const bytes = Buffer.from(`the ${format} of ${platform} ${arch}\n`)
  const file = join(out, `stand-in.${format}`)
  writeFileSync(file, bytes)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  say({ file, sha256, bytes: bytes.length, signed: false })
}
