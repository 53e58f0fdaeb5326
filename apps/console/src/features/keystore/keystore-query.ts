import { listKeyStore } from '@muster/contract/api/keystore'
import { query } from '../../app/api/api.ts'

export const keyStoreQuery = query(listKeyStore, {})
