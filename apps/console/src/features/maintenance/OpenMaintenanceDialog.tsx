import { Button } from '@mantine/core'
import type { OpenMaintenance } from '@muster/contract/api/maintenance'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { GuardedDialog, LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import classes from './Maintenance.module.css'
import { TargetLink } from './OpenMaintenanceNote.tsx'
import { keyOf, openMaintenanceQuery, useOpenMaintenanceActions } from './use-open-maintenance.ts'
import { describeTargets } from './window-state.ts'
import { writeTarget } from './window-state.ts'

const TITLE = 'Maintenance without end time'
/** A program may put thousands of machines in maintenance; ending some shows the next. */
const SHOWN = 200

/** All maintenance without an end time. */
export function OpenMaintenanceDialog({ close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_list_agents" size="lg" onClose={close}>
      <Dialog title={TITLE} size="lg" onClose={close}>
        <Entries />
      </Dialog>
    </GuardedDialog>
  )
}

function Entries() {
  const { data: entries, error, refetch } = useQuery(openMaintenanceQuery)
  if (entries === undefined) return <LoadingState error={error} onRetry={() => void refetch()} rows={4} />
  if (entries.length === 0) return <EmptyState message="All maintenance has an end time." />
  return (
    <>
      <ul className={classes.entries} aria-label={TITLE}>
        {entries.slice(0, SHOWN).map((entry) => (
          <Entry key={keyOf(entry)} entry={entry} />
        ))}
      </ul>
      {entries.length > SHOWN && (
        <p className="dim">
          {SHOWN} of {entries.length} shown.
        </p>
      )}
    </>
  )
}

function Entry({ entry }: { entry: OpenMaintenance }) {
  const { targets, agent_count: count, since, reason, created_by: by } = entry
  const actions = useOpenMaintenanceActions()
  return (
    <li>
      <div>
        {targets.map((target, index) => (
          <Fragment key={writeTarget(target)}>
            {index > 0 && ', '}
            <TargetLink target={target} />
          </Fragment>
        ))}
        <div className="dim">
          {count} {count === 1 ? 'machine' : 'machines'}
          {since !== null && (
            <>
              , since <Time instant={since} />
            </>
          )}
          {by !== '' && (
            <>
              , by <bdi>{by}</bdi>
            </>
          )}
          {reason !== '' && (
            <>
              : <bdi>{reason}</bdi>
            </>
          )}
        </div>
      </div>
      {actions !== undefined && (
        <div className={classes.buttons}>
          <Button
            size="compact-sm"
            aria-label={`Set end time for ${describeTargets(entry)}`}
            onClick={() => actions.planEnd(entry)}
          >
            Set end time
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            loading={actions.isEnding}
            aria-label={`End now: ${describeTargets(entry)}`}
            onClick={() => actions.end(entry)}
          >
            End now
          </Button>
        </div>
      )}
    </li>
  )
}
