import { listUsers } from '@muster/contract/api/accounts'
import { query } from '../../../app/api/api.ts'

export const usersQuery = query(listUsers, {})
