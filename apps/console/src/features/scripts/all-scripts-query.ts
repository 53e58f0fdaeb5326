import { listScripts } from '@muster/contract/api/scripts'
import { query } from '../../app/api/api.ts'

/** All scripts, including hidden and built-in ones: the console filters them at once. */
export const allScriptsQuery = query(listScripts, {
  query: { showCommunityScripts: 'true', showHiddenScripts: 'true' },
})
