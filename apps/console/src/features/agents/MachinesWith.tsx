import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import section from '../../ui/layout/Section.module.css'
import { TagList } from '../tags/TagList.tsx'

interface MachinesWithProps {
  field: 'tag' | 'policy'
  value: string
  children?: ReactNode
}

/** Leads to all machines with this tag or policy. */
export function MachinesWith({ field, value, children }: MachinesWithProps) {
  // `""` is a quote in a quoted text.
  const search = `${field}="${value.replaceAll('"', '""')}"`
  return (
    <Link
      to="/"
      search={{ tab: 'mixed', search }}
      className={section.word}
      aria-label={`Machines with ${field} ${value}`}
    >
      {children ?? <bdi>{value}</bdi>}
    </Link>
  )
}

/** Tags, each with a link to its machines. */
export function TagLinks({ names }: { names: readonly string[] }) {
  return names.map((name) => (
    <MachinesWith key={name} field="tag" value={name}>
      <TagList names={[name]} />
    </MachinesWith>
  ))
}
