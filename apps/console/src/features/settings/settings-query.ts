import { getCoreSettings } from '@muster/contract/api/settings'
import { query } from '../../app/api/api.ts'

export const settingsQuery = query(getCoreSettings, {})
