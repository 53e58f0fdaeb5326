import { IconHelpCircle, IconPlayerPlay, IconTrash } from '@tabler/icons-react'
import { type MenuEntry, type MenuItem, divider } from '../../ui/dialog/menu-entry.ts'

/** The disabled reason of what the role does not allow. */
const NOT_ALLOWED = 'Your role does not allow this action.'

export const unlessAllowed = (allowed: boolean): string | undefined => (allowed ? undefined : NOT_ALLOWED)

/** A check or task that a policy gives to a machine is changed in the policy. */
export const unlessOfPolicy = (row: { policy: number | null; policy_name: string | null }) =>
  row.policy === null ? undefined : `It comes from the policy ${row.policy_name ?? ''}: change it there.`

type Action = Pick<MenuItem, 'disabledReason' | 'run'>

export const explainAction = (action: Action): MenuEntry => ({
  id: 'why',
  label: 'Why is this here?',
  icon: IconHelpCircle,
  ...action,
})

export const runAction = (action: Action & { label: string }): MenuEntry => ({
  id: 'run',
  icon: IconPlayerPlay,
  ...action,
})

/** The end of a menu, after a line. */
export const removeAction = (action: Action): MenuEntry[] => [
  divider('end'),
  { id: 'delete', label: 'Delete', icon: IconTrash, danger: true, ...action },
]
