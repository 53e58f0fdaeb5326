import { listSnippets } from '@muster/contract/api/snippets'
import { query } from '../../../app/api/api.ts'

export const snippetsQuery = query(listSnippets, {})
