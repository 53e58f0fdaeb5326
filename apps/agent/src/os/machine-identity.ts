import type { Hardware } from '@muster/contract/agent/hardware'

const ID = /^[0-9a-f]{32}$/i
const ONE_DIGIT = /^(.)\1+$/

/** Whether a text is the id of one installation: not that of every new image. */
export function isMachineId(text: string): boolean {
  const digits = text.replaceAll(/[{}-]/g, '')
  return ID.test(digits) && !ONE_DIGIT.test(digits)
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const MAC = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/
const MAX_MACS = 32
const MAX_SERIAL_LENGTH = 100

/** Leaves out values that the contract does not allow, such as "Not Settable" for the UUID. */
export function makeHardware(found: {
  dmiUuid: string
  macs: readonly string[]
  diskSerial: string | undefined
}): Hardware {
  const dmi_uuid = found.dmiUuid.toLowerCase()
  const macs = found.macs.map((mac) => mac.toLowerCase()).filter((mac) => MAC.test(mac))
  const disk_serial = (found.diskSerial ?? '').slice(0, MAX_SERIAL_LENGTH)
  return {
    ...(UUID.test(dmi_uuid) && { dmi_uuid }),
    macs: [...new Set(macs)].toSorted().slice(0, MAX_MACS),
    ...(disk_serial !== '' && { disk_serial }),
  }
}
