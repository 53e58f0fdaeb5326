import { listRoles } from '@muster/contract/api/roles'
import { query } from '../../../app/api/api.ts'

export const rolesQuery = query(listRoles, {})
