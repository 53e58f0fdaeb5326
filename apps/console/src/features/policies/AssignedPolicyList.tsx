import { ActionIcon, Select } from '@mantine/core'
import type { AssignedPolicies } from '@muster/contract/policies/assigned-policies'
import { IconArrowDown, IconArrowUp, IconX } from '@tabler/icons-react'
import { useRef } from 'react'
import classes from './Policies.module.css'

type Listed = AssignedPolicies['policies'][number]

const SLOTS = [
  { value: 'all', label: 'servers and workstations' },
  { value: 'server', label: 'servers only' },
  { value: 'workstation', label: 'workstations only' },
]

interface AssignedPolicyListProps {
  listed: readonly Listed[]
  /** Whether policies can be limited to servers or workstations. */
  hasSlots: boolean
  onChange: (next: readonly Listed[]) => void
}

/** The policies of a location in order; buttons move them and keep the focus on the moved one. */
export function AssignedPolicyList({ listed, hasSlots, onChange }: AssignedPolicyListProps) {
  const list = useRef<HTMLOListElement>(null)
  if (listed.length === 0) return <p className={classes.lead}>No policies assigned yet.</p>
  const move = (from: number, to: number) => {
    const next = [...listed]
    next.splice(to, 0, ...next.splice(from, 1))
    onChange(next)
    // At either end one button is disabled: the other one gets the focus.
    requestAnimationFrame(() => {
      const row = list.current?.children[to]
      const way = to < from ? 'up' : 'down'
      const button =
        row?.querySelector<HTMLElement>(`[data-way=${way}]:not(:disabled)`) ??
        row?.querySelector<HTMLElement>('[data-way]:not(:disabled)')
      button?.focus()
    })
  }
  return (
    <ol ref={list} className="plain-list" aria-label="Assigned policies, highest priority first">
      {listed.map((policy, index) => (
        <li key={`${policy.id} ${index}`} className={`${classes.line} ${classes.choiceLine}`}>
          <span className={classes.lineText}>
            <bdi className="strong">{policy.name}</bdi>
            {policy.enforced && <span className={classes.chip}>enforced</span>}
            {!policy.active && <span className={classes.chip}>inactive</span>}
          </span>
          {hasSlots && (
            <Select
              aria-label={`Machines of ${policy.name}`}
              data={SLOTS}
              allowDeselect={false}
              size="xs"
              value={policy.monitoring_type ?? 'all'}
              onChange={(value) =>
                onChange(
                  listed.map((one) => (one === policy ? { ...one, monitoring_type: toSlot(value) } : one)),
                )
              }
            />
          )}
          <span className={classes.buttons}>
            <ActionIcon
              data-way="up"
              disabled={index === 0}
              aria-label={`Move ${policy.name} up`}
              onClick={() => move(index, index - 1)}
            >
              <IconArrowUp size={16} stroke={1.75} aria-hidden />
            </ActionIcon>
            <ActionIcon
              data-way="down"
              disabled={index === listed.length - 1}
              aria-label={`Move ${policy.name} down`}
              onClick={() => move(index, index + 1)}
            >
              <IconArrowDown size={16} stroke={1.75} aria-hidden />
            </ActionIcon>
            <ActionIcon
              aria-label={`Remove ${policy.name}`}
              onClick={() => onChange(listed.filter((one) => one !== policy))}
            >
              <IconX size={16} stroke={1.75} aria-hidden />
            </ActionIcon>
          </span>
        </li>
      ))}
    </ol>
  )
}

function toSlot(value: string | null): Listed['monitoring_type'] {
  return value === 'server' || value === 'workstation' ? value : null
}
