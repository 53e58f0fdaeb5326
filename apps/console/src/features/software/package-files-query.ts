import { listPackageFiles } from '@muster/contract/api/package-files'
import { query } from '../../app/api/api.ts'

export const packageFilesQuery = query(listPackageFiles, {})
