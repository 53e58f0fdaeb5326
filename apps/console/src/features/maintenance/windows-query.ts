import { listMaintenanceWindows } from '@muster/contract/api/maintenance'
import { query } from '../../app/api/api.ts'

/** All windows that the user may see. */
export const windowsQuery = query(listMaintenanceWindows, {})
