import { listAlertChannels } from '@muster/contract/api/alert-channels'
import { query } from '../../../app/api/api.ts'

export const channelsQuery = query(listAlertChannels, {})
