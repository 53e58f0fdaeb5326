import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { may, useMe } from '../../app/api/queries.ts'
import { NoPermission } from '../../ui/layout/States.tsx'
import classes from './AuditLog.module.css'
import { AuditPager } from './AuditPager.tsx'
import { AuditTable } from './AuditTable.tsx'
import { AuditTools } from './AuditTools.tsx'
import { AGENT_AUDIT_COLUMNS, AUDIT_COLUMNS } from './audit-columns.tsx'
import { type AuditView, START_VIEW } from './audit-view.ts'
import { useAudit } from './use-audit.ts'

interface AuditLogProps {
  view: AuditView
  onChange: (view: AuditView) => void
  /** Only what concerns this machine. */
  agentId?: string
  /** The table has the keyboard, once it is there. */
  takesFocus?: boolean
}

/** Who did what, and when: filter, table, pages. Opening an entry shows what it changed. */
export function AuditLog({ view, onChange, agentId, takesFocus = false }: AuditLogProps) {
  const me = useMe()
  const allowed = me !== undefined && may(me, 'can_view_auditlogs')
  const { page, newEntries } = useAudit(view, agentId, allowed)
  const { data, error, isPlaceholderData, refetch } = page
  if (me !== undefined && !allowed) {
    return <NoPermission message="Your role does not allow you to see the audit log." />
  }
  const entries = data?.audit_logs ?? []
  const columns = agentId === undefined ? AUDIT_COLUMNS : AGENT_AUDIT_COLUMNS
  const showNew = () => {
    // On the first page by time that is the same view, whose entries are asked for anew.
    onChange({ ...view, page: 1, sortBy: START_VIEW.sortBy, descending: true })
    void refetch()
  }
  return (
    <div className={classes.log}>
      <AuditTools
        view={view}
        onChange={onChange}
        agentId={agentId}
        newEntries={newEntries}
        onShowNew={showNew}
        entries={entries}
        columns={columns}
      />
      {data === undefined ? (
        <div className={classes.state}>
          <LoadingState error={error} onRetry={() => void refetch()} rows={10} />
        </div>
      ) : (
        <>
          <div className={classes.table} aria-busy={isPlaceholderData}>
            <AuditTable
              entries={entries}
              columns={columns}
              view={view}
              onChange={onChange}
              agentId={agentId}
              takesFocus={takesFocus}
            />
          </div>
          <AuditPager view={view} total={data.total} onChange={onChange} />
        </>
      )}
    </div>
  )
}
