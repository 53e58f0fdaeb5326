import { listMaintenanceWindows } from '@muster/contract/api/maintenance'
import { query } from '../../app/api/api.ts'

/** All windows of which the user sees something. */
export const windowsQuery = query(listMaintenanceWindows, {})
