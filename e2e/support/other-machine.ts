import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

// The files that describe a machine are mounted over that of this one, for the agent and its processes only.
const SETUP = `
set -e
mount --bind "$1/machine-id" /etc/machine-id
mount --bind "$1/sys" /sys
mount --bind "$1/data" "$2"
hostname "$3"
shift 3
exec "$@"
`

export interface OtherMachine extends Disposable {
  /** A command that starts an agent on it. */
  within: readonly string[]
  /** Where this machine sees its data folder. */
  data: string
}

/**
 * A machine with another id, hardware and host name than this one, and with a data folder of its own at the same path as
 * those of other machines: what a cloned image has. For root only.
 */
export function openOtherMachine(given: {
  hostname: string
  machineId: string
  dataFolder: string
  dmiUuid: string
  mac: string
}): OtherMachine {
  const root = mkdtempSync(join(tmpdir(), 'muster-e2e-machine-'))
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  write('machine-id', given.machineId)
  write('sys/class/dmi/id/product_uuid', `${given.dmiUuid}\n`)
  write('sys/class/net/eth0/address', `${given.mac}\n`)
  write('sys/class/net/eth0/device/vendor', '0x8086\n')
  mkdirSync(join(root, 'data'), { mode: 0o700 })
  return {
    within: [
      'unshare',
      '--mount',
      '--uts',
      '--propagation',
      'private',
      'sh',
      '-c',
      SETUP,
      'sh',
      root,
      given.dataFolder,
      given.hostname,
    ],
    data: join(root, 'data'),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  }
}
