import { CliError } from '../../errors.ts'
import { bindLibrary, type Handle } from './win32.ts'

type Call<Values extends unknown[]> = (...values: Values) => number

interface Security {
  parse: (text: string, revision: 1, descriptor: [Handle], size: null) => number
  readList: (descriptor: Handle, present: [number], list: [Handle], isDefault: [number]) => number
  set: Call<[path: string, type: number, parts: number, owner: null, group: null, list: Handle, audit: null]>
}

const SECURITY = {
  parse:
    'int __stdcall ConvertStringSecurityDescriptorToSecurityDescriptorW(str16, uint32_t, _Out_ uintptr_t *, void *)',
  readList: 'int __stdcall GetSecurityDescriptorDacl(uintptr_t, _Out_ int *, _Out_ uintptr_t *, _Out_ int *)',
  set: 'uint32_t __stdcall SetNamedSecurityInfoW(str16, int, uint32_t, void *, void *, uintptr_t, void *)',
}

/** Full access for the system and for administrators, also to what is in the folder; nothing is inherited. */
const PRIVATE = 'D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'
const FILE_OBJECT = 1
/** DACL_SECURITY_INFORMATION and PROTECTED_DACL_SECURITY_INFORMATION. */
const PARTS = 0x80000004

/** Users may read and create files below ProgramData. Source: Windows API, SetNamedSecurityInfoW. */
export async function protectFolder(folder: string): Promise<void> {
  const security = await bindLibrary<Security>('advapi32.dll', SECURITY)
  // The descriptor is 100 bytes and lives until this short process ends.
  const descriptor: [Handle] = [0]
  const list: [Handle] = [0]
  const isParsed = security.parse(PRIVATE, 1, descriptor, null) !== 0
  if (!isParsed || security.readList(descriptor[0], [0], list, [0]) === 0)
    throw new CliError('Windows did not accept the access rights of the data folder')
  const error = security.set(folder, FILE_OBJECT, PARTS, null, null, list[0], null)
  if (error !== 0)
    throw new CliError(
      `failed to close the data folder ${folder} to other users: Windows error ${error}. Run this as an administrator`,
    )
}
