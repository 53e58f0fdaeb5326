import { NodeName } from '@muster/contract/fields'

/** The error of a client's or site's name; null if valid. */
export const checkName = (name: string): string | null =>
  NodeName.safeParse(name).error?.issues[0]?.message ?? null
