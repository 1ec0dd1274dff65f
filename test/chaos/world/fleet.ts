/** The server as several processes, which come back whenever they go. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../src/platform/records/embedded-postmaster.ts';
import { DIES_AT, DISARM, type Patch } from '../seam/patches.ts';
import { lookUntil } from './call.ts';
import { endChild, isReady, startServer } from './children.ts';

export type MemberRole = 'api' | 'worker' | 'all';

interface Member {
  readonly name: string;
  readonly role: MemberRole;
  /** Of the API. */
  readonly url: string;
  child: ChildProcess;
  /** It has said that it serves. */
  isUp: boolean;
  /** Where in its log the words of this child begin. */
  logFrom: number;
  /** We have ordered its death: any other SIGKILL is the kernel's, for want of memory. */
  isDoomed: boolean;
}

export interface FleetOptions {
  readonly roles: readonly MemberRole[];
  readonly env: Readonly<Record<string, string>>;
  readonly readyWithinMs: number;
  /** Of logs, one a member. */
  readonly folder: string;
  readonly patches: readonly Patch[];
  /** Asked at each start once armed: where the process is to kill itself (`pointText`), if anywhere. */
  readonly point?: ((role: MemberRole) => string | undefined) | undefined;
}

export interface Fleet {
  readonly members: readonly Member[];
  /** Of those that serve the API. */
  readonly urls: readonly string[];
  readonly logs: readonly string[];
  /** How often members went by SIGKILL, by our order or at a point of theirs. */
  readonly killed: () => number;
  /** Of these, how often at which point: by role and point. */
  readonly killedAt: Readonly<Record<string, number>>;
  /** Of the last one; as `performance.now()`. */
  readonly lastKillMs: () => number;
  /** How a member ended that nobody had killed. */
  readonly crashes: readonly string[];
  kill(member: Member): void;
  /** From now on, whoever starts is given a point. */
  arm(): void;
  /** Resolves when every member is up. */
  up(): Promise<void>;
  /** Points kill no more; resolves when every member is up. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

const REST_MS = 200;

/** Starts them; resolves when all are ready. */
export const startFleet = async (options: FleetOptions): Promise<Fleet> => {
  const crashes: string[] = [];
  const state = { killed: 0, lastKillMs: performance.now(), isStopped: false, usesPoints: false };
  const killedAt: Record<string, number> = {};

  const start = (role: MemberRole, name: string, port: number): ChildProcess => {
    const point = state.usesPoints ? options.point?.(role) : undefined;
    return startServer(role, {
      env: {
        ...options.env,
        PORT: String(port),
        CHAOS_PATCHES: JSON.stringify(options.patches),
        ...(point === undefined ? {} : { CHAOS_POINT: point }),
      },
      errorLog: logOf(options.folder, name),
    });
  };

  const watch = (member: Member, port: number): void => {
    member.isDoomed = false;
    member.logFrom = statSync(logOf(options.folder, member.name)).size;
    member.child.stdout?.resume().once('data', () => {
      member.isUp = true;
    });
    member.child.once('exit', (code, signal) => {
      member.isUp = false;
      if (state.isStopped) return;
      const point = signal === 'SIGKILL' ? pointOf(member, options.folder) : undefined;
      if (point !== undefined) {
        const key = pointKey(member.role, point);
        killedAt[key] = (killedAt[key] ?? 0) + 1;
      }
      const isKilled = signal === 'SIGKILL' && (member.isDoomed || point !== undefined);
      if (isKilled) [state.killed, state.lastKillMs] = [state.killed + 1, performance.now()];
      else crashes.push(`${member.name} ended by itself with ${signal ?? code}`);
      void sleep(isKilled ? 0 : REST_MS).then(() => {
        if (state.isStopped) return;
        member.child = start(member.role, member.name, port);
        watch(member, port);
      });
    });
  };

  const upOne = async (member: Member): Promise<void> => await untilUp(member, options.readyWithinMs);
  const members: Member[] = [];
  const stop = async (): Promise<void> => {
    state.isStopped = true;
    await Promise.all(members.map(async ({ child }) => await endChild(child)));
  };
  try {
    for (const [index, role] of options.roles.entries()) {
      const port = await freePort();
      const name = `${role}-${index + 1}`;
      const child = start(role, name, port);
      const member: Member = {
        name,
        role,
        url: `http://127.0.0.1:${port}`,
        child,
        isUp: false,
        logFrom: 0,
        isDoomed: false,
      };
      members.push(member);
      watch(member, port);
      // The first one makes the tables; the others would only wait for it.
      if (index === 0) await upOne(member);
    }
    await Promise.all(members.map(upOne));
  } catch (error) {
    await stop();
    throw error;
  }

  // Who has just been killed is down a moment later.
  const up = async (): Promise<void> => {
    await sleep(REST_MS);
    await Promise.all(members.map(upOne));
  };
  return {
    members,
    urls: members.filter(({ role }) => role !== 'worker').map(({ url }) => url),
    logs: members.map(({ name }) => logOf(options.folder, name)),
    killed: () => state.killed,
    killedAt,
    lastKillMs: () => state.lastKillMs,
    crashes,
    kill: (member) => {
      member.isDoomed = true;
      member.child.kill('SIGKILL');
    },
    arm: () => {
      state.usesPoints = true;
    },
    up,
    settle: async () => {
      state.usesPoints = false;
      for (const { child } of members) if (child.connected) child.send(DISARM, () => undefined);
      await up();
    },
    stop,
  };
};

const logOf = (folder: string, name: string): string => path.join(folder, `${name}.log`);

/** At which it died: it said so last. */
const pointOf = ({ name, logFrom }: Member, folder: string): string | undefined =>
  readFileSync(logOf(folder, name))
    .subarray(logFrom)
    .toString()
    .split('\n')
    .find((line) => line.startsWith(DIES_AT))
    ?.slice(DIES_AT.length);

/** As what `killedAt` counts it. */
export const pointKey = (role: MemberRole, point: string): string => `${role} ${point}`;

/** It has said so, which a worker can do only that way; an API is asked as well. */
const untilUp = async (member: Member, withinMs: number): Promise<void> => {
  const isUp = async () => member.isUp && (member.role === 'worker' || (await isReady(member.url)));
  if (!(await lookUntil(withinMs, isUp, (is) => is)))
    throw new Error(`${member.name} was not ready within ${withinMs / 1_000} s`);
};
