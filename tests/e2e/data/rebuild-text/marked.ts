export const core1 = 1;
export const core2 = 2;
export const core3 = 3;
export const core4 = 4;
export const core5 = 5;
export const ours5 = 5;
export const core6 = 6;
export const core7 = 7;
export const core8 = 8;
export const core9 = 9;
export const core10 = 10;
export const core11 = 11;
export const core12 = 12;
export const core13 = 13;
export const core14 = 14;
export const core15 = 15;
export const core16 = 16;
export const core17 = 17;
export const core18 = 18;
export const core19 = 19;
export const core20 = 20;
export const core21 = 21;
export const core22 = 22;
export const core23 = 23;
export const core24 = 24;
export const core25 = 25;
export const core26 = 26;
export const core27 = 27;
export const core28 = 28;
export const core29 = 29;
<<<<<<< source.patch on v1.0.0
export const core30 = 3000;
||||||| v1.0.0
export const core30 = 30;
=======
export const core30 = 31;
>>>>>>> three-conflicts
export const core31 = 31;
export const core32 = 32;
export const core33 = 33;
export const core34 = 34;
export const core35 = 35;
export const core36 = 36;
export const core37 = 37;
export const core38 = 38;
export const core39 = 39;
export const core40 = 40;
