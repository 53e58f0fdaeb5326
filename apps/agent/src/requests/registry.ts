import { defineQuestion } from './question.ts'

export const readRegistryKey = defineQuestion('read-registry-key', async (place, { os }) =>
  (await os.loadRegistryTools()).readKey(place),
)

export const readRegistryValue = defineQuestion('read-registry-value', async (place, { os }) =>
  (await os.loadRegistryTools()).readValue(place),
)

export const changeRegistry = defineQuestion('change-registry', async (change, { os }) =>
  (await os.loadRegistryTools()).change(change),
)
