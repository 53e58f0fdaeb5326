import { listKeyStore } from '@muster/contract/api/keystore'
import { query } from '../../app/api.ts'

export const keyStoreQuery = query(listKeyStore, {})
