import { ListPage, useFind } from '../../app/shell/ListPage.tsx'
import { AUDIT_REFUSED, AuditLog } from './AuditLog.tsx'
import { readAuditView, writeAuditView } from './audit-view.ts'

/** The whole audit log. The address holds its filter. */
export function AuditPage() {
  const [find, setFind] = useFind()
  return (
    <ListPage title="Audit log" needs="can_view_auditlogs" refused={AUDIT_REFUSED}>
      <div className="pane">
        <AuditLog view={readAuditView(find)} onChange={(view) => setFind(writeAuditView(view))} takesFocus />
      </div>
    </ListPage>
  )
}
