import { NodeName } from '@muster/contract/fields'

/** What is wrong with the name of a client or site, as a sentence; null when nothing is. */
export const checkName = (name: string): string | null =>
  NodeName.safeParse(name).error?.issues[0]?.message ?? null
