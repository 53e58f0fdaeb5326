import { readdirSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Hardware } from '@muster/contract/agent/hardware'
import { isMachineId, makeHardware } from '../machine-identity.ts'
import { findRootMount } from './mounts.ts'
import { readDiskSerial, readText } from './hardware.ts'

/** Images hold `uninitialized`, zeros or nothing until their first boot, and containers forever. */
export function findLinuxMachineId(root = '/'): string | undefined {
  return ['etc/machine-id', 'var/lib/dbus/machine-id'].map((file) => readText(root + file)).find(isMachineId)
}

/** The UUID is absent for agents that do not run as root. */
export function readLinuxHardware(root = '/'): Hardware {
  return makeHardware({
    dmiUuid: readText(`${root}sys/class/dmi/id/product_uuid`),
    macs: readCards(root),
    diskSerial: findSystemDisks(root)
      .map((disk) => readDiskSerial(root, disk))
      .find((serial) => serial !== ''),
  })
}

/** `addr_assign_type` of an address that is another one at each start. */
const RANDOM = '1'
const LOOPBACK = '772'

/** The addresses of network cards. A container has none; its interfaces take their place. */
function readCards(root: string): string[] {
  const folder = `${root}sys/class/net`
  const read = (name: string, file: string) => readText(`${folder}/${name}/${file}`)
  const all = list(folder).filter((name) => read(name, 'type') !== LOOPBACK)
  const cards = all.filter((name) => list(`${folder}/${name}/device`).length > 0)
  return (cards.length > 0 ? cards : all)
    .filter((name) => read(name, 'addr_assign_type') !== RANDOM)
    .map((name) => read(name, 'bonding_slave/perm_hwaddr') || read(name, 'address'))
}

/** The disks that hold the root file system, below its partition, encryption, volumes or array. */
function findSystemDisks(root: string): string[] {
  const mount = findRootMount(readText(`${root}proc/self/mountinfo`))
  if (mount === undefined) return []
  // /dev/mapper/... is a link to /dev/dm-0.
  const named = basename(tryRealPath(join(root, mount.device)))
  const numbered = basename(tryRealPath(`${root}sys/dev/block/${mount.numbers}`))
  return [named, numbered].map((device) => disksBelow(root, device)).find((disks) => disks.length > 0) ?? []
}

function disksBelow(root: string, device: string): string[] {
  const blocks = `${root}sys/block`
  const disks = list(blocks)
  const disk = disks.find((name) => name === device || list(`${blocks}/${name}`).includes(device))
  if (disk === undefined) return []
  const parts = list(`${blocks}/${disk}/slaves`)
  return parts.length === 0 ? [disk] : parts.flatMap((part) => disksBelow(root, part))
}

function tryRealPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // A device of the kernel without a file, such as /dev/root.
    return path
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted()
  } catch {
    return []
  }
}
