import { MachineRefused } from '../os/machine-refused.ts'
import { findBroadcasts, sendMagicPackets } from '../os/wake-up.ts'
import { defineQuestion } from './question.ts'

export const sendWakeUp = defineQuestion('send-wake-up', async ({ macs }) => {
  const broadcasts = findBroadcasts()
  if (broadcasts.length === 0)
    throw new MachineRefused('It has no network that a wake-up packet could go to.')
  return { count: await sendMagicPackets(macs, broadcasts) }
})
