import { bindLibrary, type Call, type Handle } from './win32.ts'

interface Kernel {
  current: Call<[], Handle>
  terminate: Call<[process: Handle, code: number]>
}

/**
 * Lets Windows end this process at its exit. Node's own clean-up stops with a failed assertion now and then, and the
 * work of the process would count as failed: https://github.com/nodejs/node/issues/56645
 */
export async function skipCleanUpAtExit(): Promise<void> {
  const kernel = await bindLibrary<Kernel>('kernel32.dll', {
    current: 'uintptr_t __stdcall GetCurrentProcess()',
    terminate: 'int __stdcall TerminateProcess(uintptr_t, uint32_t)',
  })
  process.on('exit', (code) => kernel.terminate(kernel.current(), Number(process.exitCode ?? code)))
}
