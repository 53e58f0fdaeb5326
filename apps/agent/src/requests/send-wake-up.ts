import { MachineRefused } from '../os/machine-refused.ts'
import { defineQuestion } from './question.ts'

export const sendWakeUp = defineQuestion('send-wake-up', async ({ macs }) => {
  const { findBroadcasts, sendMagicPackets } = await import('../os/wake-up.ts')
  const broadcasts = findBroadcasts()
  if (broadcasts.length === 0)
    throw new MachineRefused('It has no network that a wake-up packet could go to.')
  return { count: await sendMagicPackets(macs, broadcasts) }
})
