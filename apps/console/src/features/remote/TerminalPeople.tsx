import type { TerminalPerson } from '@muster/contract/channels'
import { IconUsers } from '@tabler/icons-react'
import { cleanTitle } from './clean-title.ts'
import classes from './TerminalTab.module.css'

const ROLES: Record<TerminalPerson['role'], string> = {
  owner: 'opened it',
  view: 'looks on',
  type: 'types too',
}

/** Who is in a terminal, where it is more than one person. */
export function TerminalPeople({ people }: { people: readonly TerminalPerson[] }) {
  if (people.length < 2) return null
  return (
    <p className={classes.people} role="status">
      <IconUsers size={14} stroke={1.75} aria-hidden />
      {people.map((person) => tellPerson(person)).join(' · ')}
    </p>
  )
}

function tellPerson({ name, role, here }: TerminalPerson): string {
  return `${cleanTitle(name) ?? 'Somebody'} ${ROLES[role]}${here ? '' : ', away now'}`
}
