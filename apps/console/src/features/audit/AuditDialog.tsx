import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { AuditLog } from './AuditLog.tsx'
import classes from './AuditDialog.module.css'
import { type AuditView, readAuditView, START_VIEW, writeAuditView } from './audit-view.ts'

/** The whole audit log in a full window. The address holds its filter. */
export function AuditDialog({ close }: AddressedDialogProps) {
  const { filter } = useSearch({ strict: false })
  const navigate = useNavigate()
  const show = (view: AuditView) =>
    void navigate({
      to: '.',
      search: (old) => ({ ...old, filter: writeAuditView(view) }),
      replace: true,
      resetScroll: false,
    })
  return (
    <Dialog title="Audit log" size="full" onClose={close}>
      <div className={classes.log}>
        <AuditLog view={readAuditView(filter)} onChange={show} takesFocus />
      </div>
    </Dialog>
  )
}

/** The audit log of one machine; newest first. */
export function AuditTab({ agentId }: { agentId: string }) {
  const [view, setView] = useState(START_VIEW)
  return <AuditLog view={view} onChange={setView} agentId={agentId} />
}
