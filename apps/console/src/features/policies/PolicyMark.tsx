import { ActionIcon } from '@mantine/core'
import { IconShieldCheck, IconShieldOff } from '@tabler/icons-react'

interface PolicyMarkProps {
  noun: 'check' | 'task'
  item: { policy: number | null; policy_name: string | null; overridden_by_policy: boolean }
  className: string
  /** Opens the origin; absent where the role may not see policies. */
  explain: (() => void) | undefined
}

/** Whether an item of a machine comes from a policy, or is overridden by one; a click shows why. */
export function PolicyMark({ noun, item, className, explain }: PolicyMarkProps) {
  const { policy, policy_name, overridden_by_policy: rests } = item
  if (policy === null && !rests) return null
  const Icon = rests ? IconShieldOff : IconShieldCheck
  const words = rests
    ? `Overridden: an enforced policy has the same ${noun}`
    : `From the policy ${policy_name ?? ''}`
  if (explain === undefined) {
    return <Icon size={16} stroke={1.75} role="img" aria-label={words} color="var(--m-dim)" />
  }
  return (
    <ActionIcon
      size="sm"
      className={className}
      aria-label={`${words}. Why does this machine have it?`}
      data-tip={words}
      onClick={(event) => {
        event.stopPropagation()
        explain()
      }}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      <Icon size={16} stroke={1.75} aria-hidden />
    </ActionIcon>
  )
}
