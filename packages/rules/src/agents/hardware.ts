/** Hardware as a machine describes it, without proof. */
export interface ShownHardware {
  dmi_uuid?: string | undefined
  /** Addresses of its network cards, in lower case. */
  macs: readonly string[]
  /** Serial number of the disk below the system. */
  disk_serial?: string | undefined
}

/** `unknown`: nothing of it can be compared. */
export type HardwareMatch = 'same' | 'other' | 'unknown'

/**
 * Whether two machines with the same machine id are one. Containers of one host have its DMI UUID, so that network cards
 * and disk decide where they can; a machine with a new disk or a new card stays the same.
 */
export function compareHardware(one: ShownHardware, two: ShownHardware): HardwareMatch {
  const [known, shown] = [knownOf(one), knownOf(two)]
  const dmi = compare(known.dmi, shown.dmi)
  const disk = compare(known.disk, shown.disk)
  if (dmi === 'other') return 'other'
  const cards =
    known.macs.length === 0 || shown.macs.length === 0
      ? 'unknown'
      : known.macs.some((mac) => shown.macs.includes(mac))
        ? 'same'
        : 'other'
  if (cards === 'other' && disk !== 'same') return 'other'
  return [dmi, cards, disk].includes('same') ? 'same' : 'unknown'
}

/** Whether it has a value that not many machines share. */
export function isComparable(hardware: ShownHardware): boolean {
  const { dmi, macs, disk } = knownOf(hardware)
  return dmi !== undefined || macs.length > 0 || disk !== undefined
}

function compare(one: string | undefined, two: string | undefined): HardwareMatch {
  if (one === undefined || two === undefined) return 'unknown'
  return one === two ? 'same' : 'other'
}

/** Placeholders of firmware and emulators, which many machines have. */
const SHARED_UUIDS: ReadonlySet<string> = new Set([
  '03000200-0400-0500-0006-000700080009',
  '00020003-0004-0005-0006-000700080009',
  '12345678-1234-5678-90ab-cddeefaabbcc',
  '12345678-1234-5678-1234-567812345678',
  'fefefefe-fefe-fefe-fefe-fefefefefefe',
])
const ONE_DIGIT = /^([0-9a-f])(\1|-)+$/
/** The disks of every QEMU machine without serial numbers of their own: QM00001, QM00002 ... */
const QEMU_SERIAL = /^QM0000\d$/
/** Made by software: virtual machines, containers, and cards that change theirs for privacy. */
const LOCAL_MAC = /^.[2367abef]/
const SHARED_MAC = /^(00:){5}00$/

function knownOf({ dmi_uuid: uuid, macs, disk_serial: serial }: ShownHardware) {
  return {
    dmi: uuid === undefined || SHARED_UUIDS.has(uuid) || ONE_DIGIT.test(uuid) ? undefined : uuid,
    macs: macs.filter((mac) => !LOCAL_MAC.test(mac) && !SHARED_MAC.test(mac)),
    disk: serial === undefined || QEMU_SERIAL.test(serial) ? undefined : serial,
  }
}
