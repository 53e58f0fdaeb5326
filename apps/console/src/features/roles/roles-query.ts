import { listRoles } from '@muster/contract/api/roles'
import { query } from '../../app/api.ts'

export const rolesQuery = query(listRoles, {})
