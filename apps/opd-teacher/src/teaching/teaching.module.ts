import { Module } from '@nestjs/common';
import { VotingModule } from '@app/voting';
import { TeacherPass } from './teacher-pass';
import { Teacher } from './teacher';

/** The engine that scores answers, and what it is asked. */
@Module({ imports: [VotingModule], providers: [Teacher, TeacherPass], exports: [Teacher, TeacherPass] })
export class TeachingModule {}
