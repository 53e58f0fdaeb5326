import { listTags } from '@muster/contract/calls/tags'
import { query } from '../../app/api/api.ts'

/** All tags that the user may see. */
export const tagsQuery = query(listTags, { query: {} })
