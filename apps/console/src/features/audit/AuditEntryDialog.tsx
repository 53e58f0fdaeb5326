import { Anchor, Button } from '@mantine/core'
import type { AuditEntry } from '@muster/contract/api/audit'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import { ActionBadge } from './ActionBadge.tsx'
import { AuditDiff } from './AuditDiff.tsx'
import classes from './AuditEntryDialog.module.css'
import type { AuditFilter } from './audit-view.ts'
import { OBJECT_LABELS } from './audit-words.ts'

interface AuditEntryDialogProps {
  entry: AuditEntry
  onClose: () => void
  /** The entry above or below in the list; absent at its ends. */
  onNewer: (() => void) | undefined
  onOlder: (() => void) | undefined
  /** Narrows the log to what this entry is about. */
  onFilter: ((change: Partial<AuditFilter>) => void) | undefined
}

/** One entry: who, when, from where, and what it changed. */
export function AuditEntryDialog({ entry, onClose, onNewer, onOlder, onFilter }: AuditEntryDialogProps) {
  const { agent, agent_id, client, site, username } = entry
  const place = [client, site].filter(Boolean).join(', ')
  return (
    <Dialog
      title="Audit entry"
      size="xl"
      onClose={onClose}
      footer={
        <>
          <Button variant="default" disabled={onNewer === undefined} onClick={onNewer}>
            Entry above
          </Button>
          <Button variant="default" disabled={onOlder === undefined} onClick={onOlder}>
            Entry below
          </Button>
          <Button variant="default" onClick={onClose} data-autofocus>
            Close
          </Button>
        </>
      }
    >
      <p className={classes.message} dir="auto">
        {entry.message}
      </p>
      <dl className={classes.facts}>
        <Fact name="Time">
          <Time instant={entry.entry_time} />
        </Fact>
        <Fact name="User">
          <bdi>{username}</bdi>
          {onFilter && <Only onClick={() => onFilter({ users: [username] })}>only this user</Only>}
        </Fact>
        <Fact name="Action">
          <ActionBadge action={entry.action} />
        </Fact>
        <Fact name="Object">{OBJECT_LABELS[entry.object_type]}</Fact>
        {agent_id !== null && (
          <Fact name="Agent">
            <Anchor
              size="sm"
              renderRoot={(props) => <Link {...props} to="/agents/$agent_id" params={{ agent_id }} />}
            >
              <bdi>{agent ?? agent_id}</bdi>
            </Anchor>
            {onFilter && <Only onClick={() => onFilter({ agents: [agent_id] })}>only this agent</Only>}
          </Fact>
        )}
        {place !== '' && (
          <Fact name={site === null ? 'Client' : 'Site'}>
            <bdi>{place}</bdi>
          </Fact>
        )}
        {entry.ip_address !== '' && (
          <Fact name="Address">
            <span className="mono">{entry.ip_address}</span>
          </Fact>
        )}
      </dl>
      <AuditDiff before={entry.before_value} after={entry.after_value} />
    </Dialog>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt className={classes.name}>{name}</dt>
      <dd className={classes.value}>{children}</dd>
    </div>
  )
}

function Only({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <Anchor component="button" type="button" size="xs" className={classes.only} onClick={onClick}>
      {children}
    </Anchor>
  )
}
